type Numbers = Uint8Array | Uint32Array | Float64Array;

const START_ROWS = 1024;

/** A growable array of fixed-width rows of numbers, without an object for each row. */
export class GrowingArray {
  private rows = 0;
  private numbers: Numbers;

  constructor(
    private readonly create: new (length: number) => Numbers,
    private readonly width: number,
  ) {
    this.numbers = new create(START_ROWS * width);
  }

  push(row: readonly number[]): void {
    const start = this.rows * this.width;
    if (start === this.numbers.length) {
      const grown = new this.create(this.numbers.length * 2);
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers.set(row, start);
    this.rows += 1;
  }

  get(row: number, column: number): number {
    return this.numbers[row * this.width + column]!;
  }

  set(row: number, column: number, value: number): void {
    this.numbers[row * this.width + column] = value;
  }
}
