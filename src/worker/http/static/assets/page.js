/* Conveniences. The page is complete without them. */

if (navigator.clipboard) {
  for (const button of document.querySelectorAll('[data-copies]')) {
    const label = button.textContent;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(
        document.getElementById(button.dataset.copies).textContent,
      );
      button.textContent = button.dataset.copied;
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    });
    button.hidden = false;
  }
}

/* Only where the table shows every auction; elsewhere the server filters. */
const filter = document.querySelector('[data-rows]');
filter?.addEventListener('input', () => {
  const part = filter.value.trim().normalize('NFC').toLowerCase();
  const rows = [...document.getElementById(filter.dataset.rows).rows];
  for (const row of rows) {
    row.hidden = !row.cells[0].textContent.includes(part);
  }
  const count = rows.filter((row) => !row.hidden).length;
  document.getElementById('matching').textContent = part
    ? filter.dataset.matching.replace('{count}', count).replace('{all}', rows.length)
    : '';
});
