import type { Command } from '../commands/commands';

/** Selector for the buttons and links in the page header, and for the tabs. */
const CONTROLS = '#content [data-commands] :is(button, a), #content [role=tab]';

/**
 * Returns the controls on the current page as commands, so that the palette contains every action that this operator
 * can perform on the page. Controls without text, such as menus, are omitted.
 */
export function findPageCommands(): Command[] {
  const commands = [...document.querySelectorAll<HTMLElement>(CONTROLS)]
    .filter((control) => !control.matches(':disabled, [aria-selected=true]') && control.checkVisibility())
    .map((control): Command => {
      const label = (control.textContent ?? '').trim();
      const title = control.role === 'tab' ? `Open tab ${label}` : label;
      return { id: `control.${title}`, title, run: () => control.click() };
    });
  return commands.filter(
    ({ id, title }, index) => title && commands.findIndex((one) => one.id === id) === index,
  );
}
