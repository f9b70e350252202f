// Lets the tables of a report be sorted by a click on a column.

for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.append(...header.childNodes);
    header.append(button);
    button.onclick = () => {
      const first = header.className ? "descending" : "ascending";
      const order = header.ariaSort === first ? (header.className ? "ascending" : "descending") : first;
      const value = (row) => row.cells[column].textContent.replaceAll(",", "");
      const compare = (a, b) => value(a).localeCompare(value(b), "en", { numeric: true });
      const rows = [...body.rows].sort(compare);
      for (const other of headers) other.ariaSort = null;
      header.ariaSort = order;
      body.append(...(order === "ascending" ? rows : rows.reverse()));
    };
  });
}
