/** The sign of the page: a board with a closed mill. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="3" y="3" width="26" height="26" rx="2" />
    <rect x="9" y="9" width="14" height="14" rx="1" />
    <path d="M16 3v6M16 23v6M3 16h6M23 16h6" />
    <g class="logo-men">
      <circle cx="3" cy="3" r="3" />
      <circle cx="16" cy="3" r="3" />
      <circle cx="29" cy="3" r="3" />
    </g>
  </svg>
);

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  undo: "M9 7H15a5 5 0 010 10H8M9 7l3-3M9 7l3 3",
  hint: "M9 18h6M10 21h4M8 14a6 6 0 118 0c-1 1-1 2-1 2H9s0-1-1-2z",
  flag: "M6 21V4M6 4h11l-2 4 2 4H6",
  search: "M10.5 17a6.5 6.5 0 100-13 6.5 6.5 0 000 13zM15.5 15.5L21 21",
  plus: "M12 5v14M5 12h14",
  link: "M10 14a4 4 0 006 0l3-3a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-3 3a4 4 0 006 6l1-1",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  folder: "M4 18V6h6l2 2h8v10z",
};

export type IconName = keyof typeof PATHS;

/** A small sign for a button, which has a text of its own. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
