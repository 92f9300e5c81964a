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

/* As `nameKey` in src/base/text/search-key.ts does with letters. */
const stroked = { Ø: 'O', Ł: 'L', Đ: 'D', Ħ: 'H', Ŧ: 'T' };
const keyOf = (name) =>
  name
    .toLowerCase()
    .toUpperCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[ØŁĐĦŦ]/g, (letter) => stroked[letter]);

/* Only where the table shows every auction; elsewhere the server filters. */
const filter = document.querySelector('[data-rows]');
filter?.addEventListener('input', () => {
  const part = keyOf(filter.value.trim());
  const rows = [...document.getElementById(filter.dataset.rows).rows];
  for (const row of rows) {
    row.hidden = !keyOf(row.cells[0].textContent).includes(part);
  }
  const count = rows.filter((row) => !row.hidden).length;
  document.getElementById('matching').textContent = part
    ? filter.dataset.matching.replace('{count}', count).replace('{all}', rows.length)
    : '';
});
