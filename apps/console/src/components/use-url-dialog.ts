import { useSearchParams } from 'react-router';
import { useUpdateSearch } from './use-update-search';

/**
 * Returns the state of a dialog that a URL parameter opens, so that a command or a link can open it from any page. A
 * list on the same page must include the parameter in `otherParams`.
 */
export function useUrlDialog(param: string): { isOpen: boolean; open: () => void; close: () => void } {
  const [search] = useSearchParams();
  const updateSearch = useUpdateSearch();
  const set = (isOpen: boolean): void =>
    updateSearch((params) => (isOpen ? params.set(param, '1') : params.delete(param)), {
      replace: !isOpen,
      preventScrollReset: true,
    });
  return { isOpen: search.has(param), open: () => set(true), close: () => set(false) };
}
