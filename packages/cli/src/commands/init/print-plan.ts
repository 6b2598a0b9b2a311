import { printLine, styled, type Printer } from '../../output.js';
import { visibleText } from '../../console-shared/visible-text.js';
import { runCommand, toCommandLine } from './install-packages.js';
import type { Plan } from './plan.js';

/** One line in the plan, such as "create  src/gatehouse.tsx". */
export interface Action {
  verb: string;
  subject: string;
}

/** Returns all actions in a plan, in execution order. */
export function listActions({ target, folder, settings, installation, changes, origin }: Plan): Action[] {
  const name = target.management?.project.name ?? '';
  return [
    ...(target.publishableKey
      ? []
      : [{ verb: 'create', subject: `the publishable key ${folder.name} in the project ${name}` }]),
    ...settings.map(({ path, action }) => ({ verb: action, subject: path })),
    ...(installation ? [{ verb: 'run', subject: toCommandLine(installation) }] : []),
    ...changes.map(({ path, action }) => ({ verb: action, subject: path })),
    ...(origin ? [{ verb: 'allow', subject: `the origin ${origin} in the project ${name}` }] : []),
  ];
}

/** Prints the actions that `init` is about to run. */
export async function printPlan(printer: Printer, plan: Plan, actions: Action[]): Promise<void> {
  const { framework, folder, target } = plan;
  const { project } = target.management ?? {};
  await printLine(printer, `${framework.name}: ${visibleText(folder.name)}`);
  await printLine(
    printer,
    `Gatehouse: ${target.url}${project ? `, project ${visibleText(project.name)} (${project.environment})` : ''}`,
  );
  await printLine(printer);
  if (actions.length === 0) await printLine(printer, 'Nothing to change.');
  for (const { verb, subject } of actions)
    await printLine(printer, `  ${styled(printer, 'bold', verb.padEnd(8))}${visibleText(subject)}`);
  await printLine(printer);
}

/** Prints the steps that are left to the developer, and the instructions for using the app. */
export async function printNextSteps(printer: Printer, plan: Plan, applied: Plan): Promise<void> {
  const { framework, folder, packageManager, packages, installation } = plan;
  for (const { subject, reason, lines } of applied.manualSteps) {
    const title = styled(printer, 'yellow', `Left to do in ${visibleText(subject)}`);
    await printLine(printer, `${title}, because ${reason}:`);
    await printLine(printer);
    for (const line of lines) await printLine(printer, `  ${visibleText(line)}`.trimEnd());
    await printLine(printer);
  }
  if (packages.length > 0 && !installation) await printLine(printer, `Install ${packages.join(' and ')}.`);
  const { url, projectId, publishableKey } = applied.target;
  const steps = framework.nextSteps({
    folder,
    connection: { url, projectId, publishableKey: publishableKey! },
    runScript: (name) => runCommand(packageManager, name),
  });
  for (const line of steps) await printLine(printer, line);
}
