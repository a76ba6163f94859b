/* Program 1 of the thesis (McGill, 1987), in C with plain sockets.
 *
 *     workcell serve --lines 8766          prints the token
 *     cc -o program1 program1.c && ./program1 127.0.0.1 8766 TOKEN
 *     ./program1 /run/user/1000/lines.sock
 *
 * The cell needs a robot named Puma. Each function sends one line and waits for the answer: lines that begin with a
 * bar, then `ok` or `error`. See docs/protocol.md.
 */
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NUM 6 /* number of joints */

static FILE *to_simulator, *from_simulator;

static void give_up(const char *why)
{
    fprintf(stderr, "program1: %s\n", why);
    exit(9);
}

static int connected_to_port(const char *host, const char *port)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found, *one;
    int channel = -1;

    if (getaddrinfo(host, port, &wanted, &found) != 0)
        give_up("the host is unknown");
    for (one = found; one != NULL; one = one->ai_next) {
        channel = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (channel >= 0 && connect(channel, one->ai_addr, one->ai_addrlen) == 0)
            break;
        if (channel >= 0)
            close(channel);
        channel = -1;
    }
    freeaddrinfo(found);
    return channel;
}

static int connected_to_path(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int channel = socket(AF_UNIX, SOCK_STREAM, 0);

    if (strlen(path) >= sizeof address.sun_path)
        give_up("the path of the socket is too long");
    strcpy(address.sun_path, path);
    return connect(channel, (struct sockaddr *)&address, sizeof address) == 0 ? channel : -1;
}

/* Establish the communication link: a path, or a host, a port and the token of the server. */
static void init_comm(int argc, char *argv[])
{
    int channel;

    if (argc != 2 && argc != 4)
        give_up("give the path of a socket, or a host, a port and the token");
    channel = argc == 2 ? connected_to_path(argv[1]) : connected_to_port(argv[1], argv[2]);
    if (channel < 0)
        give_up("the simulator does not answer");
    to_simulator = fdopen(channel, "w");
    from_simulator = fdopen(dup(channel), "r");
    if (argc == 4)
        fprintf(to_simulator, "# token %s\n", argv[3]);
}

/* Send the line that was begun; return whether the simulator carried it out. */
static int carried_out(void)
{
    char line[4096];

    fputc('\n', to_simulator);
    fflush(to_simulator);
    while (fgets(line, sizeof line, from_simulator) != NULL) {
        if (line[0] == '|')
            printf("%s", line + 2);
        else if (strcmp(line, "ok\n") == 0)
            return 1;
        else {
            fprintf(stderr, "program1: %s", line);
            return 0;
        }
    }
    return 0;
}

/* Set the speed of the joint that moves most, in radians per second. */
static int speed(const char *robot, double rad_per_s)
{
    fprintf(to_simulator, "speed %s %grad/s", robot, rad_per_s);
    return carried_out();
}

static void affect_var(float v[NUM], double a, double b, double c, double d, double e, double f)
{
    v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f;
}

static int move_joints(const char *command, const char *robot, const float v[NUM])
{
    int k;

    fprintf(to_simulator, "%s %s ", command, robot);
    for (k = 0; k < NUM; k++)
        fprintf(to_simulator, "%s%gdeg", k ? "," : "", v[k]);
    return carried_out();
}

static int move_joints_rel(const char *robot, const float v[NUM])
{
    return move_joints("move-joints-relative", robot, v);
}

static int move_joints_abs(const char *robot, const float v[NUM])
{
    return move_joints("move-joints-absolute", robot, v);
}

/* Close the communication link. */
static void clean(void)
{
    fclose(to_simulator);
    fclose(from_simulator);
}

int main(int argc, char *argv[])
{
    float v[NUM];

    init_comm(argc, argv);
    if (!speed("Puma", 0.3)) { /* 0.3 rad/s for the joint that moves most */
        clean();
        exit(4);
    }
    affect_var(v, -70, -10, 10, 30, -20, -10);
    if (!move_joints_rel("Puma", v)) { /* a relative motion in joint space */
        clean();
        exit(1); /* the simulator shows the error too */
    }
    affect_var(v, -60, 0, -70, 0, 90, 30);
    if (!move_joints_abs("Puma", v)) { /* an absolute motion */
        clean();
        exit(2);
    }
    affect_var(v, 0, 0, -90, 0, 90, 0);
    if (!move_joints_abs("Puma", v)) { /* back to the start */
        clean();
        exit(3);
    }
    clean();
    return 0;
}
