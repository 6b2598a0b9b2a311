import { Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Logo } from '../app/logo';
import { useSession } from '../app/session';
import classes from './sign-in-layout.module.css';
import { HttpsRequired } from './https-required';

interface SignInLayoutProps {
  /** Heads the card and names the tab. */
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages in front of the console. Nobody types a password into one that came over plain http. */
export function SignInLayout({ title, description, children }: SignInLayoutProps): ReactNode {
  const { server } = useSession();
  useEffect(() => {
    document.title = `${title} · Gatehouse`;
  }, [title]);
  return (
    <main className={classes.door}>
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
        {!server.production && ' · Development'}
      </Text>
    </main>
  );
}
