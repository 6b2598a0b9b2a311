import { Anchor, Text, Title } from '@mantine/core';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icon';
import classes from './page.module.css';

export interface BackLink {
  to: string;
  /** The name of the list: "Customers". */
  label: string;
}

const BackLinkContext = createContext<BackLink | undefined>(undefined);

/** Returns the link to the list of the record that the page shows. */
export const useBackLink = (): BackLink | undefined => useContext(BackLinkContext);

interface PageProps {
  /** The heading of the page and the title of the browser tab. */
  title: string;
  /** Replaces the title as the heading, for example to add a badge. */
  heading?: ReactNode;
  description?: ReactNode;
  back?: BackLink;
  /** Buttons on the right. */
  actions?: ReactNode;
  children: ReactNode;
}

/**
 * Renders the frame of a screen. The h1 receives the focus when the screen opens, so that screen readers
 * announce it.
 */
export function Page({ title, heading, description, back, actions, children }: PageProps): ReactNode {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gatehouse`;
  }, [title]);
  useEffect(() => headingRef.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div className={classes.head}>
        <div className={classes.titles}>
          {back && (
            <Anchor component={Link} to={back.to} size="xs" className={classes.back}>
              <Icon name="back" size={14} />
              {back.label}
            </Anchor>
          )}
          <Title order={1} ref={headingRef} tabIndex={-1}>
            {heading ?? title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      <BackLinkContext value={back}>{children}</BackLinkContext>
    </>
  );
}
