import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { entryPoints, ServerProcess } from '../support/server-process.mjs';
import { formatRatio, median, printProgress, type SectionResult } from './report.js';

const ROUNDS = 10;

/** Each program's bundle, and the modules from which it is built. */
const programs = [
  { name: 'api', bundled: entryPoints.api, modules: `${process.cwd()}/dist/apps/api/main.js` },
  {
    name: 'webhook-worker',
    bundled: entryPoints.worker,
    modules: `${process.cwd()}/dist/apps/webhook-worker/main.js`,
  },
];

/** Measures the time until a program is ready, alternately from its bundle and from its modules (docs/adr/0024). */
export async function measureStarts(): Promise<SectionResult> {
  const instance = await TestInstance.start({ workers: 0 });
  try {
    await instance.api.stop();
    const measured = [];
    for (const { name, ...files } of programs) {
      const times = { bundled: [] as number[], modules: [] as number[] };
      for (let round = 0; round < ROUNDS; round += 1) {
        printProgress(`${name}, round ${round + 1} of ${ROUNDS}`);
        for (const kind of ['bundled', 'modules'] as const)
          times[kind].push(await startMs(files[kind], instance.env));
      }
      measured.push({ name, bundled: median(times.bundled), modules: median(times.modules) });
    }
    return report(measured);
  } finally {
    await instance.stop();
  }
}

/** Starts a program and stops it. @returns the time until it was ready, in ms */
export async function startMs(file: string, env: Record<string, string>): Promise<number> {
  const began = performance.now();
  const program = new ServerProcess(file, env);
  try {
    await eventually('the program to be ready', () => program.log.some(({ message }) => message === 'ready'));
    return performance.now() - began;
  } finally {
    await program.stop();
  }
}

const report = (measured: { name: string; bundled: number; modules: number }[]): SectionResult => ({
  table: [
    ['', 'modules ms', 'bundled ms', 'ratio'],
    ...measured.map(({ name, modules, bundled }) => [
      name,
      modules.toFixed(0),
      bundled.toFixed(0),
      formatRatio(bundled / modules),
    ]),
  ],
  notes: [`The bundle and the modules are started in turn, ${ROUNDS} times each. Values are medians.`],
  targets: measured.map(({ name, modules, bundled }) => ({
    name: `${name}: ratio of the bundle to the modules`,
    value: bundled / modules,
    bound: 0.75,
    direction: 'at most',
    unit: '',
  })),
});
