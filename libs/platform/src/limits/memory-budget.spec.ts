import { MemoryBudget, type MemoryHolder } from './memory-budget.js';

const half = (id: string): MemoryHolder => ({ id, share: 1 / 2 });

it('limits each holder to its share, and all holders to the total', () => {
  const budget = new MemoryBudget(100, 300);
  const first = budget.hold(half('a'), 40)!;
  expect(budget.hold(half('a'), 11)).toBeNull();
  const second = budget.hold(half('b'), 50)!;
  expect(budget.hold(half('c'), 11)).toBeNull();
  expect([first.grow(11), first.grow(10), budget.heldBytes]).toEqual([false, true, 100]);
  second.release();
  expect(budget.hold(half('c'), 11)).not.toBeNull();
});

it("lets a holder's only part exceed its share, and the only part in use exceed the total", () => {
  const budget = new MemoryBudget(100, 300);
  const only = budget.hold(half('a'), 200)!;
  expect([only.grow(101), only.grow(100), budget.hold(half('b'), 1)]).toEqual([false, true, null]);
  only.release();
  budget.hold(half('a'), 1);
  expect(budget.hold(half('b'), 99)).not.toBeNull();
});

it("moves a part to another holder if that holder's share allows it", () => {
  const budget = new MemoryBudget(100, 300);
  const part = budget.hold(half('address'), 30)!;
  budget.hold(half('key'), 30);
  expect(part.moveTo(half('key'))).toBe(false);
  expect(part.moveTo(half('other key'))).toBe(true);
  expect(budget.hold(half('other key'), 21)).toBeNull();
  expect(budget.hold(half('address'), 40)).not.toBeNull();
});

it("also counts a holder's memory toward its group", () => {
  const budget = new MemoryBudget(100, 300);
  const group = half('group');
  const [one, two] = ['one', 'two'].map((id) => ({ id, share: 3 / 10, group }));
  const part = budget.hold(one!, 30)!;
  const other = budget.hold(half('other'), 1)!;
  expect([budget.hold(two!, 21), budget.hold(half('group'), 21)]).toEqual([null, null]);
  expect(budget.hold(two!, 20)).not.toBeNull();
  expect([other.moveTo(two!), part.moveTo(half('third')), other.moveTo(two!)]).toEqual([false, true, true]);
});

it('returns all held bytes, even if a part is released repeatedly', () => {
  const budget = new MemoryBudget(1_000, 1_000);
  const parts = ['a', 'b', 'a', 'c'].map((holder) => budget.hold(half(holder), 100)!);
  parts[0]!.moveTo(half('c'));
  parts[1]!.grow(50);
  for (const part of [...parts, ...parts]) part.release();
  expect([parts[1]!.grow(1), parts[1]!.moveTo(half('a')), budget.heldBytes]).toEqual([false, false, 0]);
  expect(budget.hold(half('b'), 1_000)).not.toBeNull();
});
