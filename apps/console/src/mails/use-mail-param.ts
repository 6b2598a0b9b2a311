import { useLocation, useSearchParams } from 'react-router';

/** The email that a drawer beside a list shows, from the URL (`?mail=`). */
interface MailParam {
  /** Null if the drawer is closed. */
  id: string | null;
  /** Returns the current page's path with an email. */
  mailPath: (id: string) => string;
  close: () => void;
}

/** Returns the email in the URL. Changes keep the other parameters, such as filters. */
export function useMailParam(): MailParam {
  const { pathname } = useLocation();
  const [search, setSearch] = useSearchParams();
  const searchWithMail = (mail: string | null): string => {
    const to = new URLSearchParams(search);
    if (mail) to.set('mail', mail);
    else to.delete('mail');
    return to.toString();
  };
  return {
    id: search.get('mail'),
    mailPath: (mail) => `${pathname}?${searchWithMail(mail)}`,
    close: () => setSearch(searchWithMail(null), { replace: true, preventScrollReset: true }),
  };
}
