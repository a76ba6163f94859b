"""One vocabulary: every operation is declared once, and every front end comes from that declaration."""
