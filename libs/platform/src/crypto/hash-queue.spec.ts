import { HashQueue, type ThreadState } from './hash-queue.js';

const MAX_WAIT_MS = 4_000;

/** Simulates a queue in front of one thread, on which every task with weight 1 takes the same time. */
class SimulatedThread {
  private readonly queue = new HashQueue(MAX_WAIT_MS);
  private readonly state: ThreadState;
  private now = 0;
  /** The waits of started tasks in ms, by project. */
  readonly waits: Record<string, number[]> = {};
  /** The projects of started tasks. */
  readonly started: string[] = [];

  constructor(taskMs: number) {
    this.state = { idle: 0, msEach: taskMs };
  }

  /** Returns whether the task was accepted. */
  submit(projectId: string, weight = 1): boolean {
    if (!this.queue.hasCapacity(projectId, weight, this.state)) return false;
    const submittedAt = this.now;
    const proceed = (): void => {
      this.started.push(projectId);
      (this.waits[projectId] ??= []).push(this.now - submittedAt);
    };
    this.queue.add({ projectId, weight, latestStart: this.now + MAX_WAIT_MS, proceed });
    return true;
  }

  submitUntilRejected(projectId: string): void {
    while (this.submit(projectId));
  }

  /** Finishes the running task and starts the next one. */
  runOne(): void {
    const { msEach } = this.state;
    this.now += msEach;
    this.queue.takeNext(this.now, msEach)?.proceed();
  }
}

const longest = (waits: number[] | undefined): number => Math.max(...waits!);

it('RL-03: delays other projects by only one hash if one project has filled the queue', () => {
  const thread = new SimulatedThread(30);
  for (let round = 0; round < 600; round += 1) {
    thread.submitUntilRejected('flooded');
    if (round % 20 === 10) expect(thread.submit('quiet')).toBe(true);
    thread.runOne();
  }
  expect(longest(thread.waits['quiet'])).toBe(30);
  expect(longest(thread.waits['flooded'])).toBeGreaterThan(0.8 * MAX_WAIT_MS);
});

it('RL-03: accepts each new project without exceeding the maximum wait', () => {
  for (const taskMs of [30, 120]) {
    const thread = new SimulatedThread(taskMs);
    for (let round = 0; round < 1_000; round += 1) {
      // Every 250 rounds, another project begins to flood the queue, and a new project submits a single task.
      if (round % 250 === 100) expect(thread.submit(`single ${round}`)).toBe(true);
      for (let project = 0; project <= round / 250; project += 1)
        thread.submitUntilRejected(`flood ${project}`);
      thread.runOne();
    }
    const waits = Object.values(thread.waits);
    expect(longest(waits.flat())).toBeLessThanOrEqual(MAX_WAIT_MS);
    expect(waits).toHaveLength(8);
  }
});

it('alternates between projects by task weight', () => {
  const thread = new SimulatedThread(30);
  for (const weight of [1, 1, 1, 1, 1, 1, 1, 1]) thread.submit('light', weight);
  for (const weight of [3, 3]) thread.submit('heavy', weight);
  for (let round = 0; round < 10; round += 1) thread.runOne();
  expect(thread.started.map(([letter]) => letter).join('')).toBe('lhlllhllll');
});

it('starts the oldest task if it would otherwise start too late', () => {
  const thread = new SimulatedThread(1_000);
  for (let count = 0; count < 3; count += 1) expect(thread.submit('first')).toBe(true);
  expect(thread.submit('second', 8)).toBe(true);
  for (let round = 0; round < 4; round += 1) thread.runOne();
  expect(thread.started.map(([letter]) => letter).join('')).toBe('fffs');
});
