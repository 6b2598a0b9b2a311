import { MemoryBudget } from './memory-budget.js';

it('limits each holder to its share and all of them to the total', () => {
  const budget = new MemoryBudget(100, 50);
  const first = budget.hold('a', 40)!;
  expect(budget.hold('a', 11)).toBeNull();
  const second = budget.hold('b', 50)!;
  expect(budget.hold('c', 11)).toBeNull();
  expect([first.grow(11), first.grow(10), budget.heldBytes]).toEqual([false, true, 100]);
  second.release();
  expect(budget.hold('c', 11)).not.toBeNull();
});

it('holds more than a share for a holder without another part, and more than the total for the only one', () => {
  const budget = new MemoryBudget(100, 50);
  const only = budget.hold('a', 200)!;
  expect([only.grow(100), budget.hold('b', 1)]).toEqual([true, null]);
  only.release();
  budget.hold('a', 1);
  expect(budget.hold('b', 99)).not.toBeNull();
});

it('moves a part to another holder unless its share does not allow it', () => {
  const budget = new MemoryBudget(100, 50);
  const part = budget.hold('address', 30)!;
  budget.hold('key', 30);
  expect(part.moveTo('key')).toBe(false);
  expect(part.moveTo('other key')).toBe(true);
  expect(budget.hold('other key', 21)).toBeNull();
  expect(budget.hold('address', 40)).not.toBeNull();
});

it('returns everything that was held, however often a part is released', () => {
  const budget = new MemoryBudget(1_000, 500);
  const parts = ['a', 'b', 'a', 'c'].map((holder) => budget.hold(holder, 100)!);
  parts[0]!.moveTo('c');
  parts[1]!.grow(50);
  for (const part of [...parts, ...parts]) part.release();
  expect([parts[1]!.grow(1), parts[1]!.moveTo('a'), budget.heldBytes]).toEqual([false, false, 0]);
  expect(budget.hold('b', 1_000)).not.toBeNull();
});
