"""Images to learn from that are made in no time."""

import numpy as np


def digits_like(count, rng):
    """Images of 28×28 that are as easy to tell apart as their label: a bar across, in
    one of ten places.
    """
    labels = rng.randint(0, 10, count).astype(np.uint8)
    images = rng.randint(0, 60, (count, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[2 * label + 4 : 2 * label + 6, 4:24] += 180
    return images, labels
