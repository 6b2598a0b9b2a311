import { Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Logo } from '../components/logo';
import classes from './sign-in-layout.module.css';
import { HttpsRequired } from './https-required';

interface SignInLayoutProps {
  /** The card's heading and the browser tab's title. */
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** Renders the frame for the sign-in pages. A page that was loaded over plain HTTP has no password fields. */
export function SignInLayout({ title, description, children }: SignInLayoutProps): ReactNode {
  useEffect(() => {
    const previous = document.title;
    document.title = `${title} · Gatehouse`;
    // A screen below the sign-in form continues with its own title.
    return () => {
      document.title = previous;
    };
  }, [title]);
  return (
    <main className={classes.layout}>
      <div className={classes.brand}>
        <Logo size={28} />
        Gatehouse
      </div>
      <Paper p="xl" className={classes.card}>
        <Stack gap="md">
          <div>
            <Title order={1}>{title}</Title>
            {description && (
              <Text c="dimmed" mt={4}>
                {description}
              </Text>
            )}
          </div>
          {window.isSecureContext ? children : <HttpsRequired />}
        </Stack>
      </Paper>
      <Text size="xs" c="dimmed" className={classes.host}>
        {window.location.host}
      </Text>
    </main>
  );
}
