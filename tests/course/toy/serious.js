// What axe-core calls serious or critical on a page.
async () => {
  const found = await axe.run({resultTypes: ["violations"], preload: false});
  return found.violations
    .filter(v => ["serious", "critical"].includes(v.impact))
    .map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 120))]);
}
