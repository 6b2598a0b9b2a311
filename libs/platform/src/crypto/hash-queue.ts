/**
 * Maximum ratio of the capacity that a project uses to the capacity that it leaves free. A single project can therefore
 * use seven eighths of the queue.
 */
const MAX_USED_PER_FREE = 7;

export interface QueuedTask {
  /** null for a task of the server itself. */
  projectId: string | null;
  /** Duration in units of one Gatehouse hash, a whole number. */
  weight: number;
  /** The monotonic time by which the task must start, in ms. */
  latestStart: number;
  proceed: () => void;
}

/** The state of the threads. */
export interface ThreadState {
  /** The number of idle threads. */
  idle: number;
  /** The average time in ms in which all threads together complete one Gatehouse hash. */
  msEach: number;
}

/** The part of the queue that a project uses. */
interface Share {
  /** The weight of its waiting tasks and permits. */
  weight: number;
  /** The weight of its tasks that have started, plus the queue level when the project arrived. */
  served: number;
}

/**
 * Schedules the tasks that wait for a thread fairly across projects, and limits how many can wait. The expected wait of
 * an accepted task is at most `maxWaitMs` (docs/adr/0014).
 */
export class HashQueue {
  /** In arrival order. */
  private readonly waiting = new Set<QueuedTask>();
  private readonly shares = new Map<string | null, Share>();
  /** The weight of all waiting tasks and permits. */
  private totalWeight = 0;
  /** The lowest `served` of the projects that had waiting tasks when the last task was taken. */
  private level = 0;

  constructor(private readonly maxWaitMs: number) {}

  /** The number of waiting tasks. */
  get length(): number {
    return this.waiting.size;
  }

  /** Returns whether there are neither waiting tasks nor permits. */
  get isEmpty(): boolean {
    return this.totalWeight === 0;
  }

  /**
   * Returns the expected wait in ms for one more task, assuming that tasks start in arrival order. If no thread is idle, the
   * running tasks count as one waiting task.
   */
  expectedWaitMs({ idle, msEach }: ThreadState): number {
    return (this.totalWeight + 1 - idle) * msEach;
  }

  /**
   * Returns whether a task can be added to the queue. A project is limited to half of the queue while another one
   * waits, and always leaves capacity for projects that arrive later. The server itself is limited only by the queue
   * size.
   */
  hasCapacity(projectId: string | null, weight: number, threads: ThreadState): boolean {
    if (this.expectedWaitMs(threads) > this.maxWaitMs) return false;
    const ownWeight = this.shares.get(projectId)?.weight ?? 0;
    const ownWaiting = ownWeight - threads.idle;
    // One task per project can always wait, regardless of its weight. Otherwise, expensive tasks would never run under
    // load.
    if (projectId === null || ownWaiting <= 0) return true;
    const capacity = this.maxWaitMs / threads.msEach;
    const isAlone = ownWeight === this.totalWeight;
    const free = capacity - (this.totalWeight - threads.idle + weight);
    return ownWaiting + weight <= Math.min(isAlone ? capacity : capacity / 2, MAX_USED_PER_FREE * free);
  }

  add(task: QueuedTask): void {
    this.changeWeight(task.projectId, task.weight);
    const share = this.shares.get(task.projectId)!;
    // A project does not accumulate credit while it has no waiting tasks.
    share.served = Math.max(share.served, this.level);
    this.waiting.add(task);
  }

  remove(task: QueuedTask): void {
    this.waiting.delete(task);
    this.changeWeight(task.projectId, -task.weight);
  }

  /**
   * Reserves capacity for one task.
   * @returns a function that releases it; further calls do nothing
   */
  reserve(projectId: string | null): () => void {
    this.changeWeight(projectId, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.changeWeight(projectId, -1);
      isHeld = false;
    };
  }

  /** Removes the next task and returns it. */
  takeNext(now: number, msEach: number): QueuedTask | undefined {
    const next = this.findNext(now, msEach);
    if (!next) return undefined;
    this.shares.get(next.projectId)!.served += next.weight;
    this.remove(next);
    return next;
  }

  /**
   * Returns the oldest task of the least served project. If that would delay an older task past its `latestStart`,
   * returns the oldest task of all projects instead.
   */
  private findNext(now: number, msEach: number): QueuedTask | undefined {
    const served = ({ projectId }: QueuedTask): number => this.shares.get(projectId)!.served;
    const [oldest] = this.waiting;
    if (!oldest) return undefined;
    let fairest = oldest;
    for (const task of this.waiting) if (served(task) < served(fairest)) fairest = task;
    this.level = served(fairest);
    let start = now + fairest.weight * msEach;
    for (const task of this.waiting) {
      if (task === fairest) break;
      if (start > task.latestStart) return oldest;
      start += task.weight * msEach;
    }
    return fairest;
  }

  private changeWeight(projectId: string | null, change: number): void {
    this.totalWeight += change;
    const share = this.shares.get(projectId) ?? { weight: 0, served: this.level };
    share.weight += change;
    if (share.weight > 0) this.shares.set(projectId, share);
    else this.shares.delete(projectId);
  }
}
