import { useSearchParams } from 'react-router';

/**
 * Returns the state of a dialog that a parameter of the URL opens, so that a command or a link can open it from any
 * page. A list on the same page must name the parameter in `otherParams`.
 */
export function useUrlDialog(param: string): { isOpen: boolean; open: () => void; close: () => void } {
  const [search, setSearch] = useSearchParams();
  const set = (isOpen: boolean): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (isOpen) after.set(param, '1');
        else after.delete(param);
        return after;
      },
      { replace: !isOpen, preventScrollReset: true },
    );
  return { isOpen: search.has(param), open: () => set(true), close: () => set(false) };
}
