"""Where an arm's hand is, and every way in which its joints can bring it to a pose."""
