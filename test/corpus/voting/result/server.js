const async = require('async');
const express = require('express');
const { Pool } = require('pg');

const app = express();
const pool = new Pool({ connectionString: 'postgres://postgres:postgres@db/postgres' });

async.retry({ times: 1000, interval: 1000 }, (callback) => pool.connect((err, client) => callback(err, client)), (err) => {
  if (err) return console.error('Giving up');
  console.log('Connected to db');
});

app.get('/', async (_req, res) => {
  const { rows } = await pool.query('SELECT vote, COUNT(id) AS count FROM votes GROUP BY vote');
  res.json(rows);
});
app.listen(process.env.PORT || 4000);
