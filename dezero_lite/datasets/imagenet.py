"""The names of ImageNet's classes. Step 58 explains them."""

from __future__ import annotations

from ..downloads import get_file
from .dataset import Dataset


class ImageNet(Dataset):
    """The names of ImageNet's thousand classes, which VGG16 and ResNet distinguish.
    Source: book step 58.
    """

    def prepare(self) -> None:
        raise NotImplementedError(
            "ImageNet's pictures are not available; ImageNet.labels() returns the "
            "names of its classes"
        )

    @staticmethod
    def labels() -> dict[int, str]:
        """Return the names that the labels stand for. Requires a download of 31 kB, or
        the file in the data folder.

        Raises
        ------
        ValueError
            If the file is not as expected.
        """
        import ast

        # The hash in the address identifies one version of the file.
        url = (
            "https://gist.githubusercontent.com/yrevar/942d3a0ac09ec9e5eb3a/raw/"
            "238f720ff059c1f82f368259d1ca4ffa5dd8f9f5/imagenet1000_clsidx_to_labels.txt"
        )
        path = get_file(url)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            # Parses only literals: nothing in the file is executed.
            labels = ast.literal_eval(text)
        except (MemoryError, RecursionError, SyntaxError, ValueError) as error:
            raise ValueError(f"{path} is not a dict of labels: {error}") from None
        if not isinstance(labels, dict) or list(labels) != list(range(1000)):
            raise ValueError(
                f"{path} is not a dict of the labels 0 to 999: is it truncated, or "
                "another file?"
            )
        return labels
