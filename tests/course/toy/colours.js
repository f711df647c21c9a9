// Each text of the player with its colour, and the colour behind it.
() => {
  const look = (e) => getComputedStyle(e), found = [];
  const words = "#say, dt, dd, .note, h2, li, button, #count";
  for (const e of document.querySelectorAll(words)) {
    let behind = e;
    while (/ 0\)$/.test(look(behind).backgroundColor)) behind = behind.parentElement;
    if (e.textContent)
      found.push([e.textContent, look(e).color, look(behind).backgroundColor]);
  }
  for (const text of document.querySelectorAll(".node text, .edge text")) {
    const shape = text.parentNode.querySelector(".node rect");
    const paper = look(document.querySelector("main")).backgroundColor;
    const behind = shape ? look(shape).fill : paper;
    if (text.textContent) found.push([text.textContent, look(text).fill, behind]);
  }
  return found;
}
