import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { Icon, type IconName } from './icon';

export interface EmptyContent {
  title: string;
  /** An explanation, for example what to do first, or that no action is needed. */
  text?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
}

/** Renders a notice instead of records: an icon, a sentence and the next step. */
export function EmptyState({ icon, title, text, action }: EmptyContent & { icon: IconName }): ReactNode {
  return (
    <div className={classes.state}>
      <span className={classes.arch}>
        <Icon name={icon} size={20} />
      </span>
      <Title order={2}>{title}</Title>
      {text && (
        <Text c="dimmed" maw={420}>
          {text}
        </Text>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
