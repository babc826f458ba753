/** Tells people where in a script something stands. */
export class Places {
  private readonly at: string;
  private readonly lineEnds: number[] = [];
  private readonly single: boolean;

  constructor(source: string, at: string) {
    this.at = at;
    for (let end = source.indexOf("\n"); end >= 0; end = source.indexOf("\n", end + 1))
      this.lineEnds.push(end);
    // One line, with or without a line end, needs no number.
    this.single = this.lineEnds.length === 0 || this.lineEnds[0] === source.length - 1;
  }

  ofLine(line: number): string {
    return this.single ? this.at : `${this.at} › line ${line}`;
  }

  /** Line of a position, from 1: line ends are searched by halves, scripts may have thousands. */
  lineOf(position: number): number {
    let [low, high] = [0, this.lineEnds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.lineEnds[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}
