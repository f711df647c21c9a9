// All that a reader of the player sees, as text.
() => {
  const all = (what, scope = document) => [...scope.querySelectorAll(what)];
  const texts = (what, scope) => all(what, scope).map(e => e.textContent);
  const nodes = {}, edges = {}, panel = {};
  for (const node of all(".node[id^=v]")) {
    const [name, value, gradient] = node.querySelectorAll("text");
    const isThere = gradient && !gradient.classList.contains("dropped");
    nodes[name.textContent] = [value.textContent, isThere ? gradient.textContent : ""];
  }
  for (const text of all(".edge text"))
    if (text.textContent) edges[text.parentNode.id] = text.textContent;
  for (const section of all("section"))
    panel[section.querySelector("h2").textContent] = texts("dd, li", section);
  const active = texts(".node.lit[id^=f] text");
  return {nodes, edges, panel, active, say: document.querySelector("#say").textContent,
          count: document.querySelector("#count").textContent};
}
