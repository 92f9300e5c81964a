/* A convenience. Without it, a command is selected and copied as any text. */

if (navigator.clipboard) {
  for (const button of document.querySelectorAll('.commands button')) {
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    button.hidden = false;
  }
}
