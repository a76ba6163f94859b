"""Images without a screen: cameras, clipping, a software rasteriser, PNG files."""
