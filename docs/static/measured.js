// Fills the table of measurements, and filters it by what the form says. No library; the data are in MEASURED.
(() => {
  const form = document.getElementById("measured-filter");
  const table = document.getElementById("measured-lines");
  const count = document.getElementById("measured-count");
  const HEAD = ["study", "device", "graph", "case", "threads", "ms", "sweeps", "result", "measured"];
  const MOST = 300; // rows shown at once

  const studies = [...new Set(MEASURED.rows.map((row) => row[0]))];
  for (const study of studies) form.elements.study.add(new Option(study));
  const head = table.createTHead().insertRow();
  for (const name of HEAD) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

  function shown([study, device, graph, name]) {
    const wanted = form.elements;
    return (
      (!wanted.study.value || study === wanted.study.value) &&
      (!wanted.device.value || device === wanted.device.value) &&
      graph.toLowerCase().includes(wanted.graph.value.trim().toLowerCase()) &&
      name.toLowerCase().includes(wanted.case.value.trim().toLowerCase())
    );
  }

  function fill() {
    const rows = MEASURED.rows.filter(shown);
    body.replaceChildren();
    for (const row of rows.slice(0, MOST)) {
      const [study, device, graph, name, threads, ms, sweeps, result, near, machine, day, commit] = row;
      const line = body.insertRow();
      const time = number.format(ms) + (near || threads === 1 ? "" : " †");
      const where = `${MEASURED.machines[machine]}, ${day}` + (commit ? `, commit ${commit}` : "");
      const multiple = sweeps === null ? "" : number.format(sweeps);
      for (const text of [study, device, graph, name, threads, time, multiple, result, where])
        line.insertCell().textContent = text;
    }
    const more = rows.length > MOST ? `, the first ${MOST} are shown` : "";
    const [found, all] = [rows.length, MEASURED.rows.length].map((length) => length.toLocaleString("en"));
    count.textContent = `${found} of ${all} measurements${more}.`;
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", query.size ? `#${query}` : location.pathname + location.search);
  }

  for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
    if (form.elements[name]) form.elements[name].value = value;
  form.addEventListener("input", fill);
  form.addEventListener("submit", (event) => event.preventDefault());
  fill();
})();
