import { GatehouseProvider } from '@gatehouse/nextjs';
import '@gatehouse/react/styles.css';
import type { ReactNode } from 'react';

export const metadata = { title: 'Shop' };

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <GatehouseProvider>{children}</GatehouseProvider>
      </body>
    </html>
  );
}
