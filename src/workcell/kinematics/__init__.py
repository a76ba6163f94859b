"""Where an arm's hand is, and every way its joints can bring it somewhere."""
