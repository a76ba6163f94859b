"""What a peer sends to an Agent, and what the language definition makes of it."""

OBJECTS = """
    > ; a line that begins with a semicolon is a comment
    > define-color rust 0.7 0.3 0.1
    > make-object table box 800 600 40 rust
    > translate-object table z=-20 x=500           ; keyed arguments in any order
    > make-object post cylinder 20 300
    > make-object hat cone 30 60 rust
    > make-object foot truncated-cone 10 30 40
    > make-object ball sphere 25 rust
    > make-object edge line 100 0 50
    > make-object trace polyline 100 0 100 100 rust
    > make-object field polygon 100 0 100 100
    > translate-object post y=300 z=150
    > rotate-object edge x=90 z=90
    > translate-object ball x=-500
    > make-composite-object lamp post hat
    > link-objects \\
    >   joined hat foot
    > destroy-object hat
    *** Error in line 17 --- 2 Unknown object: destroy-object hat
    > destroy-object lamp
    > make-object hat box 5 5 5
    > make-object hat box 5 5 5
    *** Error in line 20 --- 5 Illegal argument: 1
    > make-object lid pyramid 5 5 5
    *** Error in line 21 --- 5 Illegal argument: 2
    > make-object lid box 5 0 5
    *** Error in line 22 --- 5 Illegal argument: 4
    > make-object lid box 5 5
    *** Error in line 23 --- 4 Missing argument(s)
    > make-object lid box 5 5 5 pink
    *** Error in line 24 --- 5 Illegal argument: 6
    > make-object lid box 5 5 5 rust rust
    *** Error in line 25 --- 3 Too many arguments
    > make-object lid polyline 10 20 30
    *** Error in line 26 --- 4 Missing argument(s)
    > translate-object lamp x=5
    *** Error in line 27 --- 2 Unknown object: translate-object lamp x=5
    > translate-object hat x5
    *** Error in line 28 --- 5 Illegal argument: 2
    > rotate-object hat x=5 y=nan
    *** Error in line 29 --- 5 Illegal argument: 3
    > rotate-object hat x=5 x=5
    *** Error in line 30 --- 5 Illegal argument: 3
    > rotate-object hat
    > link-objects both hat hat
    *** Error in line 32 --- 5 Illegal argument: 3
    > make-robosim-object robo missing.rob base
    *** Error in line 33 --- 5 Illegal argument: 2
    > fly away
    *** Error in line 34 --- 1 Undefined command: fly away
"""

MOTIONS = """
    > make-agent arm PUMA 560
    > get-angles arm
    position of agent arm in line 1 --- 0 0 -90 0 90 0
    > start: drive arm 10 0 -90 0 90 0
    > get-angles arm ; the line of a label has the number 0
    position of agent arm in line start:1 --- 10 0 -90 0 90 0
    > record-angles arm rest
    position of agent arm in line start:2 --- 10 0 -90 0 90 0
    > drive-find arm 0 0 -90 0 90 0
    > drive arm rest
    > move-inter arm 500 -150 300 0 0 180
    > get-position arm
    position of agent arm in line start:6 --- 500 -150 300 0 0 180
    > move-straight arm 500 150 400 0 0 180
    > get-position arm
    position of agent arm in line start:8 --- 500 150 400 0 0 180
    > translate-agent arm z=-50 x=25
    > get-position arm
    position of agent arm in line start:10 --- 525 150 350 0 0 180
    > rotate-agent arm z=30
    > get-position arm
    position of agent arm in line start:12 --- 525 150 350 -30 0 180
    > shift arm y=10
    > get-position arm
    position of agent arm in line start:14 --- 525 160 350 -30 0 180
    > movexy arm 450 100 300 0 0 180
    > get-position arm
    position of agent arm in line start:16 --- 450 100 300 0 0 180
    > make-object box1 box 50 50 50
    > translate-object box1 x=450 y=200 z=50
    > rotate-object box1 z=90
    > move-inter-to arm box1 0 0 250 0 0 180
    > get-position arm
    position of agent arm in line start:21 --- 450 200 300 -90 0 180
    > move-straight-to arm box1 -100 0 250 0 0 180
    > get-position arm
    position of agent arm in line start:23 --- 450 100 300 -90 0 180
    > find-path-to arm box1 0 0 200 0 0 180
    > get-position arm
    position of agent arm in line start:25 --- 450 200 250 -90 0 180
    > display-tries 0
    > find-path arm 500 -150 300 0 0 180
    > get-position arm
    position of agent arm in line start:28 --- 500 -150 300 0 0 180
    > minimal-step 2
    > minimal-step 0
    *** Error in line start:30 --- 5 Illegal argument: 1
    > drive box1 0 0 0 0 0 0
    *** Error in line start:31 --- 7 Object not an agent: drive box1 0 0 0 0 0 0
    > drive nobody 0 0 0 0 0 0
    *** Error in line start:32 --- 2 Unknown object: drive nobody 0 0 0 0 0 0
    > drive arm nowhere
    *** Error in line start:33 --- 5 Illegal argument: 2
    > drive arm 0 0 0 0 0
    *** Error in line start:34 --- 4 Missing argument(s)
    > drive arm 0 0 0 0 0 0 0
    *** Error in line start:35 --- 3 Too many arguments
    > drive arm 0 0 x 0 0 0
    *** Error in line start:36 --- 5 Illegal argument: 4
    > drive arm 170 0 -90 0 90 0
    *** Error in line start:37 --- 10 Joint violation: arm 1
    > move-inter arm 5000 0 0 0 0 180
    *** Error in line start:38 --- 9 Illegal coordinates: move-inter arm 5000 0 0 0 0 180
    > move-straight arm 500 0 0 0 0
    *** Error in line start:39 --- 4 Missing argument(s)
    > move-straight arm 5000 0 0 0 0 180
    *** Error in line start:40 --- 9 Illegal coordinates: move-straight arm 5000 0 0 0 0 180
    > get-position arm
    position of agent arm in line start:41 --- 500 -150 300 0 0 180
"""

SEVERAL = """
    > make-agent left PUMA 560
    > make-agent right puma-560
    > translate-object right x=3000
    > drive left 10 0 -90 0 90 0, drive right -10 0 -90 0 90 0
    > get-angles left
    position of agent left in line 4 --- 10 0 -90 0 90 0
    > get-angles right
    position of agent right in line 5 --- -10 0 -90 0 90 0
    > drive2 left right 0 0 -90 0 90 0 0 0 -90 0 90 10
    > get-angles right
    position of agent right in line 7 --- 0 0 -90 0 90 10
    > drive left 20 0 -90 0 90 0, drive left 0 0 -90 0 90 0
    *** Error in line 8 --- 8 Multiple commands for the same agent: drive left 0 0 -90 0 90 0
    > drive left 20 0 -90 0 90 0, drive right 500 0 -90 0 90 0
    *** Error in line 9 --- 10 Joint violation: right 1
    > drive left 20 0 -90 0 90 0, shift right x=5
    *** Error in line 10 --- 1 Undefined command: shift right x=5
    > drive left 20 0 -90 0 90 0, movexy right 500 0 300 0 0 180
    *** Error in line 11 --- 1 Undefined command: movexy right 500 0 300 0 0 180
    > drive left 20 0 -90 0 90 0, drive middle 0 0 -90 0 90 0
    *** Error in line 12 --- 2 Unknown object: drive middle 0 0 -90 0 90 0
    > drive2 left right 0 0 -90 0 90 0 0 400 -90 0 90 10
    *** Error in line 13 --- 10 Joint violation: right 2
    > get-angles left
    position of agent left in line 14 --- 0 0 -90 0 90 0
"""

SOLUTIONS = """
    > make-agent arm PUMA 560
    > get-solution arm
    solution of agent arm in line 1 --- 2
    > freeze-solution arm
    > set-solution arm 8
    *** Error in line 3 --- 5 Illegal argument: 2
    > set-solution arm -1
    > set-large-move-limit 60
    > set-large-move-limit -1
    *** Error in line 6 --- 5 Illegal argument: 1
    > set-collision-check 0
    > set-collision-check 1
    > move-inter arm 500 -150 300 0 0 180
    > set-solution arm 0
    > move-inter arm 500 -100 300 0 0 180
    *** Error in line 11 --- 10 Joint violation: arm 2
    > get-valid-solutions table
    *** Error in line 12 --- 2 Unknown object: get-valid-solutions table
"""

GRASPING = """
    > make-agent arm PUMA 560
    > make-object part box 40 40 40
    > make-object floor box 400 400 10
    > translate-object floor x=600 y=0 z=-5
    > translate-object part x=600 z=20
    > grasp arm part
    *** Error in line 5 --- 5 Illegal argument: 2
    > define-grasping-point part 0 0 0 0 0 180
    > define-grasping-opening part 40
    > define-default-grasping-gap 20
    > define-approach-opening part 65
    > define-approach-opening part -5
    *** Error in line 10 --- 5 Illegal argument: 2
    > grasp arm part
    *** Error in line 11 --- 9 Illegal coordinates: grasp arm part
    > release arm part
    *** Error in line 12 --- 14 Hand is not holding object: part
    > move-to-grasp arm part
    > get-position arm
    position of agent arm in line 14 --- 600 0 20 0 0 180
    > grasp arm part
    > grasp arm part
    *** Error in line 16 --- 13 Hand is already holding object: part
    > move-to-grasp arm floor
    *** Error in line 17 --- 13 Hand is already holding object: part
    > ; the part is lifted off the floor, then brought to a wall
    > translate-agent arm z=100
    > make-object wall box 400 20 60
    > translate-object wall x=600 y=150 z=110
    > translate-agent arm y=150
    *** Error in line 22 --- 11 Collision: 0 part wall
    > release arm part
    > translate-agent arm z=100
    > define-grasping-point arm 0 0 0 0 0 0
    *** Error in line 25 --- 5 Illegal argument: 1
"""

PICTURES = """
    > define-color rust 0.7 0.3 0.1
    > define-color rust 0.6 0.2 0.1
    > define-color rust 1.5 0 0
    *** Error in line 2 --- 5 Illegal argument: 2
    > make-object ball sphere 100 rust
    > look-from 2000 -2000 1500
    > look-at 0 0 200
    > look-at 0 0
    *** Error in line 6 --- 4 Missing argument(s)
    > twist-camera 10 0
    > twist-camera 5 1
    > light-source 1000 0 3000 rust
    > light-source 0 0 0 rust ambient
    > light-source 0 0 0 pink
    *** Error in line 11 --- 5 Illegal argument: 4
    > display-type wireframe
    > display-type solid
    > display-type shade
    > display-type glass
    *** Error in line 15 --- 5 Illegal argument: 1
"""

FILES = """
    > make-agent arm PUMA 560
    > load-positions none.txt
    *** Error in line 1 --- 5 Illegal argument: 1
    > record-angles arm one
    position of agent arm in line 2 --- 0 0 -90 0 90 0
    > save-positions places.txt
    > drive arm 20 0 -90 0 90 0
    > record-angles arm two
    position of agent arm in line 5 --- 20 0 -90 0 90 0
    > clear
    > get-angles arm
    *** Error in line 7 --- 2 Unknown object: get-angles arm
    > make-agent arm puma560
    > load-positions places.txt
    > drive arm two
    > get-angles arm
    position of agent arm in line 11 --- 20 0 -90 0 90 0
    > load inner.cmd
    position of agent arm in line 0 --- 20 0 -90 0 90 0
    *** Error in line 0 --- 2 Unknown object: get-angles nobody
    *** Error in line here:1 --- 1 Undefined command: jump arm
    > set-echo 1
    > load inner.cmd
    get-angles arm
    position of agent arm in line 0 --- 20 0 -90 0 90 0
    here: load innermost.cmd
    get-angles nobody
    *** Error in line 0 --- 2 Unknown object: get-angles nobody
    exit
    jump arm ; not there
    *** Error in line here:1 --- 1 Undefined command: jump arm
    end
    > load loop.cmd
    load loop.cmd
    *** Error in line 0 --- 6 Internal error
    > load
    *** Error in line 16 --- 4 Missing argument(s)
    > end now
    *** Error in line 17 --- 3 Too many arguments
    > exit
    > get-angles arm
"""
ALL = (OBJECTS, MOTIONS, SEVERAL, SOLUTIONS, GRASPING, PICTURES, FILES)
