// How large the player's parts are, and whether anything sticks out.
() => {
  const main = document.querySelector("main");
  const heights = (what) => [...document.querySelectorAll(what)].map(
    e => e.getBoundingClientRect().height).filter(h => h > 0);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    high: main.offsetHeight - innerHeight,
    letters: Math.min(...heights("#graph text")),
    buttons: Math.min(...heights("button")),
    top: document.querySelector("#controls").offsetTop,
  };
}
