import { Anchor, Text, Title } from '@mantine/core';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icon';
import classes from './page.module.css';

export interface BackLink {
  to: string;
  /** The list that is there: "Customers". */
  label: string;
}

const BackLinkContext = createContext<BackLink | undefined>(undefined);

/** To the list that the page around is a record of. */
export const useBackLink = (): BackLink | undefined => useContext(BackLinkContext);

interface PageProps {
  /** Heads the page and names the tab. */
  title: string;
  /** What stands as the heading in place of the title: one with a badge, say. */
  heading?: ReactNode;
  description?: ReactNode;
  back?: BackLink;
  /** Buttons at the right. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every screen: one h1, which has the focus when a screen is entered, so that it is read out. */
export function Page({ title, heading, description, back, actions, children }: PageProps): ReactNode {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gatehouse`;
  }, [title]);
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
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
          <Title order={1} ref={head} tabIndex={-1}>
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
