import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('operators')
export class OperatorEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') email!: string;
  @Column('text', { name: 'password_hash' }) passwordHash!: string;
  @Column('text') role!: 'viewer' | 'operator' | 'admin';
}
