// Each piece of text in certain elements: its contrast with what is behind it, its size.
where => {
  const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const pixel = colours => {
    for (const colour of colours) {
      paint.fillStyle = colour;
      paint.fillRect(0, 0, 1, 1);
    }
    return paint.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([...parts]) => {
    const [r, g, b] = parts.map(p => p / 255)
      .map(p => p <= 0.03928 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll(where)) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const words = texts.currentNode.textContent.trim(), grounds = [];
      if (!words) continue;
      for (let e = texts.currentNode.parentElement; e; e = e.parentElement)
        grounds.unshift(getComputedStyle(e).backgroundColor);
      const {color, fontSize} = getComputedStyle(texts.currentNode.parentElement);
      const [low, high] = [pixel(["white", ...grounds]), pixel(["white", ...grounds, color])]
        .map(luminance).sort((a, b) => a - b);
      found.push([words, (high + 0.05) / (low + 0.05), fontSize]);
    }
  }
  return found;
}
