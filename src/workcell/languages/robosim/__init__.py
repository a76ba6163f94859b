"""ROBOSIM, the modelling language of the NASA and Vanderbilt report: links and objects drawn with an accumulator."""
