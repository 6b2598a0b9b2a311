import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { toProblem } from '../http/problem';
import { Icon } from './icon';

export function toastSuccess(message: ReactNode): void {
  notifications.show({ message, color: 'green', icon: <Icon name="check" />, autoClose: 5_000 });
}

/** Shows an error for an action without a dialog. */
export function toastError(error: unknown): void {
  const { title, detail } = toProblem(error);
  notifications.show({
    title,
    message: detail,
    color: 'red',
    icon: <Icon name="alert" />,
    autoClose: 10_000,
  });
}
