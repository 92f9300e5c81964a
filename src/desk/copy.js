/* A convenience. Without it, a click selects a command, to be copied as any text. */

if (navigator.clipboard) {
  for (const command of document.querySelectorAll('.commands code')) {
    const button = document.createElement('button');
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${command.textContent}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    command.after(button);
  }
}
