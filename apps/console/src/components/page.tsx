import { Anchor, Text, Title } from '@mantine/core';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { Icon } from './icon';
import { useListVisits, type ReturnState } from './list-visits';
import classes from './page.module.css';
import { UntrustedText } from './untrusted-text';
import { showInvisible } from './visible-text';

export interface BackLink {
  to: string;
  /** The list name: "Customers". */
  label: string;
}

const PageContext = createContext<{ title: string; back?: BackLink }>({ title: '' });

/** Returns the link to the list that contains the page's record. */
export const useBackLink = (): BackLink | undefined => useContext(PageContext).back;

export const usePageTitle = (): string => useContext(PageContext).title;

interface PageProps {
  /** The page heading and the browser tab's title. */
  title: string;
  /** Replaces the title as the heading, for example to add a badge. */
  heading?: ReactNode;
  description?: ReactNode;
  /**
   * The list that the back link opens. If the operator opened the record from another list, the link returns to that
   * list.
   */
  back?: BackLink;
  /** Buttons on the right. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Renders a screen's frame. The h1 receives the focus when the screen opens, so that screen readers announce it. */
export function Page({ title, heading, description, back: list, actions, children }: PageProps): ReactNode {
  const headingRef = useRef<HTMLHeadingElement>(null);
  const back = useReturn(list);
  useEffect(() => {
    document.title = `${showInvisible(title)} · Gatehouse`;
  }, [title]);
  useEffect(() => {
    // A list focuses the opened row when the operator returns to it.
    if (!document.activeElement?.hasAttribute('data-row-link'))
      headingRef.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div className={classes.head}>
        <div className={classes.titles}>
          {back && (
            <Anchor component={Link} to={back.to} state={back.state} size="xs" className={classes.back}>
              <Icon name="back" size={14} />
              <UntrustedText text={back.label} oneLine />
            </Anchor>
          )}
          <Title order={1} ref={headingRef} tabIndex={-1}>
            {heading ?? <UntrustedText text={title} />}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </div>
        {actions && (
          <div className={classes.actions} data-commands>
            {actions}
          </div>
        )}
      </div>
      <PageContext value={{ title, back }}>{children}</PageContext>
    </>
  );
}

/** Returns the link to the list as the operator left it, or else to the list without filters. */
function useReturn(list: BackLink | undefined): (BackLink & { state?: ReturnState }) | undefined {
  const { pathname } = useLocation();
  const { byPath, byRecord } = useListVisits();
  if (!list) return undefined;
  const visit = byRecord.get(pathname) ?? byPath.get(list.to);
  if (!visit) return list;
  const isList = visit.to.replace(/\?.*/, '') === list.to;
  return { to: visit.to, label: isList ? list.label : visit.label, state: { listKey: visit.key } };
}
