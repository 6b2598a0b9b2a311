import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { asProblem } from '../http/problem';
import { Icon } from './icon';

/** Says that something was done. */
export function toastDone(message: ReactNode): void {
  notifications.show({ message, color: 'green', icon: <Icon name="check" />, autoClose: 5_000 });
}

/** Says why something was not done, where there is no dialog to say it in. */
export function toastProblem(error: unknown): void {
  const { title, detail } = asProblem(error);
  notifications.show({
    title,
    message: detail,
    color: 'red',
    icon: <Icon name="alert" />,
    autoClose: 10_000,
  });
}
