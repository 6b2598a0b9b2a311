/**
 * Returns the shell command for a server-side command, such as `npm run gatehouse -- migrate`. The image sets the
 * environment variable to `gatehouse-admin`; it is not a setting.
 * @param args the command and its arguments
 */
export const adminCommand = (args: string): string =>
  `${process.env['GATEHOUSE_ADMIN_COMMAND'] || 'npm run gatehouse --'} ${args}`;
