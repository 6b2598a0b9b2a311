/** A memory holder. */
export interface MemoryHolder {
  id: string;
  /** The budget share that the holder can hold at once, from 0 to 1. */
  share: number;
  /** A holder toward whose share this holder's memory also counts. */
  group?: MemoryHolder;
}

/** A part of a budget that is held until it is released. */
export interface MemoryHold {
  readonly holder: MemoryHolder;
  /** The number of bytes that are currently held. */
  readonly bytes: number;
  /** Adds bytes. Returns false and adds nothing if this would exceed the budget or the holder's share. */
  grow: (bytes: number) => boolean;
  /** Moves the part to another holder. Returns false and changes nothing if this would exceed that holder's share. */
  moveTo: (holder: MemoryHolder) => boolean;
  /** Returns the part to the budget. Further calls do nothing. */
  release: () => void;
}

/**
 * Limits the bytes that holders keep in memory at the same time: each holder to its share, and all of them to the
 * total. A holder's only part can exceed its share, and the only part in use can exceed the total, up to the limit.
 * Otherwise, a part that is larger than a share could never be held.
 */
export class MemoryBudget {
  private readonly byHolder = new Map<string, number>();
  private held = 0;

  /**
   * @param total maximum for all holders, in bytes
   * @param limit maximum for a part that is the only one, in bytes
   */
  constructor(
    readonly total: number,
    readonly limit: number,
  ) {}

  /** The number of bytes that are currently held. */
  get heldBytes(): number {
    return this.held;
  }

  /** Holds bytes. Returns null if this would exceed the budget or the holder's share. */
  hold(holder: MemoryHolder, bytes: number): MemoryHold | null {
    const part = new BudgetPart(this, holder);
    return part.grow(bytes) ? part : null;
  }

  /**
   * Returns whether a holder can hold more bytes.
   * @param own the number of bytes in the part that grows
   */
  allows(holder: MemoryHolder, own: number, more: number): boolean {
    if (this.held === own) return own + more <= this.limit;
    return (
      this.held + more <= this.total && withGroups(holder).every((each) => this.hasShare(each, own, more))
    );
  }

  private hasShare({ id, share }: MemoryHolder, own: number, more: number): boolean {
    const heldByHolder = this.byHolder.get(id) ?? 0;
    return heldByHolder === own || heldByHolder + more <= share * this.total;
  }

  /** Adds bytes to a holder, or removes them if `bytes` is negative. */
  change(holder: MemoryHolder, bytes: number): void {
    this.held += bytes;
    for (const { id } of withGroups(holder)) {
      const heldByHolder = (this.byHolder.get(id) ?? 0) + bytes;
      if (heldByHolder > 0) this.byHolder.set(id, heldByHolder);
      else this.byHolder.delete(id);
    }
  }
}

/** Returns a holder, its group, and that group's group. */
const withGroups = (holder: MemoryHolder): MemoryHolder[] => [
  holder,
  ...(holder.group ? withGroups(holder.group) : []),
];

class BudgetPart implements MemoryHold {
  bytes = 0;
  private isReleased = false;

  constructor(
    private readonly budget: MemoryBudget,
    public holder: MemoryHolder,
  ) {}

  grow(more: number): boolean {
    if (this.isReleased || !this.budget.allows(this.holder, this.bytes, more)) return false;
    this.budget.change(this.holder, more);
    this.bytes += more;
    return true;
  }

  moveTo(holder: MemoryHolder): boolean {
    if (this.isReleased || holder.id === this.holder.id) return !this.isReleased;
    const { bytes } = this;
    this.budget.change(this.holder, -bytes);
    const isAllowed = this.budget.allows(holder, 0, bytes);
    if (isAllowed) this.holder = holder;
    this.budget.change(this.holder, bytes);
    return isAllowed;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.budget.change(this.holder, -this.bytes);
  }
}
