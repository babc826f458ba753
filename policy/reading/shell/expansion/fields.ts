import { HOLE } from "../unknown.ts";

/** Words in the making: field splitting ends them at the separators of an unquoted expansion. */
export class Fields {
  readonly done: string[] = [];
  private current: string | undefined;

  add(text: string): void {
    this.current = (this.current ?? "") + text;
  }

  end(): void {
    if (this.current !== undefined) this.done.push(this.current);
    this.current = undefined;
  }

  split(text: string, separators: string): void {
    if (separators.includes(HOLE)) {
      this.add(HOLE);
      return;
    }
    let from = 0;
    for (let at = 0; at <= text.length; at += 1) {
      if (at < text.length && !separators.includes(text.charAt(at))) continue;
      if (at > from) this.add(text.slice(from, at));
      if (at < text.length) this.end();
      from = at + 1;
    }
  }
}
