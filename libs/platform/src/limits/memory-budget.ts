/** A part of a budget, which counts until it is released. */
export interface MemoryHold {
  /** Adds bytes. Returns false, and adds nothing, if the budget or the share of the holder does not allow it. */
  grow: (bytes: number) => boolean;
  /** Counts the part to another holder. Returns false, and changes nothing, if that holder's share does not allow it. */
  moveTo: (holder: string) => boolean;
  /** Returns the part to the budget. Does nothing when repeated. */
  release: () => void;
}

/**
 * Counts the bytes that holders hold in memory at once: each at most its share, and all together at most the total. A
 * holder that holds nothing else may exceed its share, and anything may exceed the total while nothing else is held:
 * otherwise what is larger than a share could never be held.
 */
export class MemoryBudget {
  private readonly byHolder = new Map<string, number>();
  private held = 0;

  /** @param share maximum of one holder, in bytes, as `total` */
  constructor(
    readonly total: number,
    readonly share: number,
  ) {}

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.held;
  }

  /** Holds bytes. Returns null if the budget or the share of the holder does not allow it. */
  hold(holder: string, bytes: number): MemoryHold | null {
    const part = new BudgetPart(this, holder);
    return part.grow(bytes) ? part : null;
  }

  /** Returns whether a holder may hold more bytes. @param own bytes of the part that grows */
  allows(holder: string, own: number, more: number): boolean {
    if (this.held === own) return true;
    const ofHolder = this.byHolder.get(holder) ?? 0;
    return this.held + more <= this.total && (ofHolder === own || ofHolder + more <= this.share);
  }

  /** Changes the bytes of a holder. */
  change(holder: string, bytes: number): void {
    this.held += bytes;
    const ofHolder = (this.byHolder.get(holder) ?? 0) + bytes;
    if (ofHolder > 0) this.byHolder.set(holder, ofHolder);
    else this.byHolder.delete(holder);
  }
}

class BudgetPart implements MemoryHold {
  private bytes = 0;
  private isReleased = false;

  constructor(
    private readonly budget: MemoryBudget,
    private holder: string,
  ) {}

  grow(more: number): boolean {
    if (this.isReleased || !this.budget.allows(this.holder, this.bytes, more)) return false;
    this.budget.change(this.holder, more);
    this.bytes += more;
    return true;
  }

  moveTo(holder: string): boolean {
    if (this.isReleased || holder === this.holder) return !this.isReleased;
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
