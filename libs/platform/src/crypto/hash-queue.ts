/**
 * The part of the free capacity that a project leaves to others, as a divisor: it may use seven times what it
 * leaves free. A single project can therefore use seven eighths of the queue.
 */
const OWN_TO_FREE = 7;

export interface QueuedTask {
  /** null: the server itself. */
  projectId: string | null;
  /** Duration in multiples of one Gatehouse hash, a whole number. */
  weight: number;
  /** The monotonic time at which the task must have started, in ms. */
  latestStart: number;
  proceed: () => void;
}

/** The threads' state. */
export interface ThreadState {
  /** The idle thread count. */
  idle: number;
  /** The time in which all threads together complete one Gatehouse hash, in ms. */
  msEach: number;
}

/** The part of the queue that a project uses. */
interface Share {
  /** The weight of its waiting tasks and permits. */
  weight: number;
  /**
   * The weight of its tasks that have left the queue for a thread, counted from the queue's level when the project
   * arrived.
   */
  served: number;
}

/**
 * Orders the tasks that wait for a thread, fairly between projects, and decides how many may wait. The
 * expected wait of an accepted task is at most `maxWaitMs` (docs/adr/0014).
 */
export class HashQueue {
  /** In order of arrival. */
  private readonly waiting = new Set<QueuedTask>();
  private readonly shares = new Map<string | null, Share>();
  /** The weight of all waiting tasks and permits. */
  private totalWeight = 0;
  /** The lowest `served` among the projects with waiting tasks, when the last task was taken. */
  private level = 0;

  constructor(private readonly maxWaitMs: number) {}

  /** The waiting task count. */
  get length(): number {
    return this.waiting.size;
  }

  /** Returns whether there are neither waiting tasks nor permits. */
  get isEmpty(): boolean {
    return this.totalWeight === 0;
  }

  /**
   * Returns the expected wait of a further task in ms, if tasks start in order of arrival. If no thread is idle, the
   * running tasks count as one more waiting task.
   */
  expectedWaitMs({ idle, msEach }: ThreadState): number {
    return (this.totalWeight + 1 - idle) * msEach;
  }

  /**
   * Returns whether a task may wait. A project is limited to half of the queue while another one waits, and always
   * leaves capacity for a project that arrives later. The server itself is limited only by the complete queue.
   */
  hasCapacity(projectId: string | null, weight: number, threads: ThreadState): boolean {
    if (this.expectedWaitMs(threads) > this.maxWaitMs) return false;
    const ownWeight = this.shares.get(projectId)?.weight ?? 0;
    const ownWaiting = ownWeight - threads.idle;
    // One task per project may wait regardless of its weight. Otherwise an expensive task would never get a thread
    // under load.
    if (projectId === null || ownWaiting <= 0) return true;
    const capacity = this.maxWaitMs / threads.msEach;
    const isAlone = ownWeight === this.totalWeight;
    const free = capacity - (this.totalWeight - threads.idle + weight);
    return ownWaiting + weight <= Math.min(isAlone ? capacity : capacity / 2, OWN_TO_FREE * free);
  }

  add(task: QueuedTask): void {
    this.changeWeight(task.projectId, task.weight);
    const share = this.shares.get(task.projectId)!;
    // A project that had nothing to wait for gets no advantage from that.
    share.served = Math.max(share.served, this.level);
    this.waiting.add(task);
  }

  remove(task: QueuedTask): void {
    this.waiting.delete(task);
    this.changeWeight(task.projectId, -task.weight);
  }

  /** Reserves capacity for one task. @returns a function that releases it, and does nothing when repeated */
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
   * Returns the oldest task of the project that was served least. If an older task would then start too late, returns
   * the oldest task of all projects.
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
