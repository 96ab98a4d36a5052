// What a view gives back, where something of it goes on while it is shown.

export interface Shown {
  redraw?(): void; // in the page's other colours
  update?(): void; // there are other data; a view without it is made anew
  dispose(): void; // another view comes
}
