"""Classify Fashion-MNIST with the network of digits_cnn.py: 60,000 pictures of clothes,
of 28×28 pixels.

They are downloaded at first use (31 MB), or read from a folder: set
DEZERO_LITE_DATA=FOLDER, with the four files in FOLDER/fashion-mnist. Each epoch takes
up to a minute. The picture shows images that the network misclassifies; shirts are the
hardest.
"""

from __future__ import annotations

import time

from digits_cnn import CNN, draw_mistakes
from digits_mlp import train
from helpers import check, count, needed, options, parse, run

import dezero_lite
from dezero_lite.datasets import FashionMNIST
from dezero_lite.transforms import Compose, Normalize, ToFloat


def main() -> None:
    parser = options(__doc__)
    parser.add_argument(
        "--epochs",
        type=count,
        default=5,
        help="passes over the data (default: %(default)s)",
    )
    args = parse(parser)
    dezero_lite.manual_seed(args.seed)
    image = Compose([ToFloat(), Normalize(0.0, 255.0)])
    with needed():
        data = FashionMNIST(transform=image)
        test = FashionMNIST(train=False, transform=image)
    epochs = args.epochs
    if args.quick:
        data.data, data.label = data.data[:2000], data.label[:2000]
        test.data, test.label = test.data[:500], test.label[:500]
        epochs = 2
    model = CNN(channels=16, ratio=0.2)
    began = time.perf_counter()
    _, accuracies = train(
        model, data, test, epochs, batch_size=100, rate=0.003, decay=0.6
    )
    print(
        f"{(time.perf_counter() - began) / epochs:.1f} seconds per epoch; test "
        "accuracy after each epoch: ",
        end="",
    )
    print(", ".join(f"{accuracy:.2f} %" for accuracy in accuracies))
    if args.plot:
        draw_mistakes(args.plot, model, test)
    check("test accuracy", accuracies[-1], above=60 if args.quick else 90, unit=" %")


if __name__ == "__main__":
    run(main)
